#!/usr/bin/env node
import process from 'node:process'
import { main } from './program.js'

const exitCode = await main(process.argv.slice(2))
// Ended explicitly, once all is written: whatever a client library may still wait for, the caller need not.
process.stdout.write('', () => process.exit(exitCode))
