// Mounts the page Lessons, and hands it what the server says.
import { mounting } from "../pages/kit.js";
import { OrderingPage } from "./page.js";

export default mounting(OrderingPage);
