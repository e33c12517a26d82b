// Mounts the inventory, and hands it what the server says.
import { mounting } from "../../pages/kit.ts";
import { InventoryPage } from "./page.ts";

export default mounting(InventoryPage);
