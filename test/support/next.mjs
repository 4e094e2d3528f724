// Lets the same tests run over the other generation of pi-tui: loaded with `--import` before a
// test, every import of the package name gets the development alias instead.
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

if (isMainThread) register(import.meta.url);

export function resolve(specifier, context, next) {
	return next(specifier === "@mariozechner/pi-tui" ? "pi-tui-next" : specifier, context);
}
