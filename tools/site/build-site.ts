import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { withData } from '../../src/cli/page/with-session.ts'
import { buildPage, ROOT } from '../page/bundle.ts'
import { docsPages } from './docs-pages.ts'
import { exampleData } from './example-files.ts'
import { manifestOf, registryFiles } from './registry.ts'

/** Writes the site into a folder, which it empties first: the page that opens sessions, the documentation, and the registry of components. */
export async function buildSite(folder: string): Promise<void> {
  const { homepage } = await manifestOf(ROOT)
  const repository = homepage.replace(/#.*$/, '')
  const files = new Map([
    ['index.html', await startPage()],
    ...(await docsPages(ROOT, repository)),
    ...(await registryFiles(ROOT)),
  ])
  await rm(folder, { recursive: true, force: true })
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

async function startPage(): Promise<string> {
  const source = { folder: join(ROOT, 'tools/site/page'), script: 'site.tsx', style: 'site.css' }
  return withData(await buildPage({ source }), 'examples', await exampleData(join(ROOT, 'fixtures')))
}
