// Mounts the page Lessons, and hands it what the server says.
import { mounting } from "../../pages/kit.ts";
import { OrderingPage } from "./page.ts";

export default mounting(OrderingPage);
