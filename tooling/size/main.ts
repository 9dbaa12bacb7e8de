import { finish } from "../source/report.ts";
import { coreBytesMax, measureCore, sizeReport } from "./check.ts";

finish(sizeReport(await measureCore(), coreBytesMax));
