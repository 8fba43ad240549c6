export { type ConformanceTerms, conformance } from './conformance.js'
