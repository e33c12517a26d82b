// Mounts the practice, and hands it what the server says.
import { mounting } from "../../pages/kit.ts";
import { PracticePage } from "./page.ts";

export default mounting(PracticePage);
