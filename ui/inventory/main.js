// Mounts the inventory, and hands it what the server says.
import { mounting } from "../pages/kit.js";
import { InventoryPage } from "./page.js";

export default mounting(InventoryPage);
