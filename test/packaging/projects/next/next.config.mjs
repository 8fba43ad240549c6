/** Its packages are above it, as in a workspace. */
const root = new URL('../..', import.meta.url).pathname
export default { turbopack: { root }, outputFileTracingRoot: root }
