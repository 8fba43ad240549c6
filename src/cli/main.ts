#!/usr/bin/env node
import process from 'node:process'
import { letGoOfGoneTerminals } from './gone-terminal.js'
import { main } from './program.js'

process.once('exit', letGoOfGoneTerminals)
await main(process.argv.slice(2))
