// Mounts the inventory, and hands it what the server says.
import { mounting } from "./asking_page.js";
import { InventoryPage } from "./page.js";

export default mounting(InventoryPage);
