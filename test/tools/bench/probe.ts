// An extension that hands out what only an extension gets: the host's own instance of pi-tui.
import * as tui from "@mariozechner/pi-tui";

export default function probe(): void {
	Object.assign(globalThis, { [Symbol.for("pi-ask-bench")]: tui });
}
