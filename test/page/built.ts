import { join } from 'node:path'
import { buildPage, REPORT, ROOT } from '../../tools/page/bundle.ts'
import { buildSite } from '../../tools/site/build-site.ts'

/** A page takes seconds to build, so the tests of a worker build each page once. */
const built = new Map<string, Promise<string>>()

interface BuildOptions {
  readonly countsRenders?: boolean
}

/** Returns the page of `agentfold serve`. */
export function builtPage(options: BuildOptions = {}): Promise<string> {
  return once(`page ${JSON.stringify(options)}`, () => buildPage(options))
}

/** Returns the page of a report, without its session. */
export function builtReport(options: BuildOptions = {}): Promise<string> {
  return once(`report ${JSON.stringify(options)}`, () => buildPage({ ...options, source: REPORT }))
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
