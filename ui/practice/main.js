// Mounts the practice, and hands it what the server says.
import { mounting } from "../inventory/asking_page.js";
import { PracticePage } from "./page.js";

export default mounting(PracticePage);
