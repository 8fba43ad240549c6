#!/usr/bin/env node
import process from 'node:process'
import { main } from './program.js'

await main(process.argv.slice(2))
