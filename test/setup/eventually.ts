export { eventually } from '../../src/conformance/eventually.js'
