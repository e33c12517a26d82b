// Mounts the practice, and hands it what the server says.
import { mounting } from "../pages/kit.js";
import { PracticePage } from "./page.js";

export default mounting(PracticePage);
