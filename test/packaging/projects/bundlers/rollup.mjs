import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'

const [input, folder] = process.argv.slice(2)
const plugins = [nodeResolve({ preferBuiltins: true }), commonjs(), json()]
const bundle = await rollup({ input, plugins, logLevel: 'silent' })
await bundle.write({ file: `${folder}/bundle.mjs`, format: 'es', inlineDynamicImports: true })
