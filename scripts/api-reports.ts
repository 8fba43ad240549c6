/** Checks the API reports in etc/ against what is built, one for each way into the package; with --local it writes them anew. */
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'

const folder = fileURLToPath(new URL('../etc/', import.meta.url))
const localBuild = process.argv.includes('--local')

for (const file of (await readdir(folder)).filter((name) => /^api-extractor.*\.json$/.test(name))) {
  const config = ExtractorConfig.loadFileAndPrepare(`${folder}${file}`)
  const { succeeded } = Extractor.invoke(config, { localBuild, showVerboseMessages: false })
  if (!succeeded) {
    console.error(`${file}: the API is not as its report in etc/ says. If that is meant: npm run api`)
    process.exitCode = 1
  }
}
