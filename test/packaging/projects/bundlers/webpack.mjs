import { promisify } from 'node:util'
import webpack from 'webpack'

const [entry, folder] = process.argv.slice(2)
const { errors, warnings } = (
  await promisify(webpack)({
    mode: 'production',
    target: 'node20',
    entry,
    output: { path: folder, filename: 'bundle.cjs' },
    // One file: what is loaded when it is used is in it too.
    optimization: { minimize: false },
    plugins: [new webpack.optimize.LimitChunkCountPlugin({ maxChunks: 1 })],
  })
).toJson()
for (const { message } of [...errors, ...warnings]) console.error(message)
process.exitCode = errors.length > 0 ? 1 : 0
