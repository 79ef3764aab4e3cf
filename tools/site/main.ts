import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { buildSite } from './build-site.ts'

const USAGE = 'usage: npm run site -- [<folder>]'

/** `npm run site` writes the static site. It opens from the disk, and from any server for files. */
async function main(): Promise<void> {
  const [folder = 'node_modules/.site/www', ...others] = process.argv.slice(2)
  if (others.length > 0 || folder.startsWith('-')) throw new RangeError(USAGE)
  // The folder is emptied, so it must be the site's own.
  if (existsSync(folder) && !existsSync(join(folder, 'r/registry.json')))
    throw new RangeError(`${folder}: exists and is no site: choose another folder\n${USAGE}`)
  await buildSite(folder)
  process.stdout.write(`${pathToFileURL(resolve(folder, 'index.html')).href}\n`)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
