import { join } from 'node:path'
import { buildPage, ROOT } from '../../tools/page/bundle.ts'
import { buildSite } from '../../tools/site/build-site.ts'

/** A page takes seconds to build, so the tests of a worker build each page once. */
const built = new Map<string, Promise<string>>()

/** Returns the page of `agentfold serve` and of reports. */
export function builtPage(options: { readonly countsRenders?: boolean } = {}): Promise<string> {
  return once(JSON.stringify(options), () => buildPage(options))
}

/** Returns the folder of the site. A test must not write into it. */
export function builtSite(): Promise<string> {
  return once('site', async () => {
    const folder = join(ROOT, 'node_modules/.tested-site', process.env.VITEST_POOL_ID ?? '')
    await buildSite(folder)
    return folder
  })
}

function once(name: string, build: () => Promise<string>): Promise<string> {
  const found = built.get(name)
  if (found) return found
  const building = build()
  built.set(name, building)
  return building
}
