import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copiedFiles } from './copied-files.ts'

/** A part of the page that people copy: its files are those that its entries import. */
interface ItemSource {
  readonly name: string
  readonly title: string
  readonly description: string
  /** In `src/page/`. */
  readonly entries: readonly string[]
}

const THEME = 'theme.css'

/** The items of the registry. */
const ITEMS: readonly ItemSource[] = [
  {
    name: 'session-page',
    title: 'Session page',
    description: 'A session with its agents, prompts, plan, search and timeline, from a session store.',
    entries: ['session/session-view.tsx', 'page.css'],
  },
  {
    name: 'markdown',
    title: 'Markdown',
    description: 'Markdown of a model with colours in code. It loads no image and runs no HTML.',
    entries: ['text/markdown.tsx', THEME, 'text/text.css', 'text/code.css'],
  },
  {
    name: 'file-changes',
    title: 'File changes',
    description: 'The diffs of a call that has changed files.',
    entries: ['tools/changes.tsx', THEME, 'tools/changes.css'],
  },
]

/** A registry in the form that the command line of shadcn reads, by the paths of its files. */
export async function registryFiles(root: string): Promise<ReadonlyMap<string, string>> {
  const manifest = await manifestOf(root)
  const items = await Promise.all(ITEMS.map((item) => registryItem(item, { root, manifest })))
  const index = {
    $schema: 'https://ui.shadcn.com/schema/registry.json',
    name: 'agentfold',
    homepage: manifest.homepage,
    items: items.map(({ $schema, files, ...item }) => ({
      ...item,
      files: files.map(({ content, ...file }) => file),
    })),
  }
  const files = items.map((item) => [`r/${item.name}.json`, jsonText(item)] as const)
  return new Map([['r/registry.json', jsonText(index)], ...files])
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** The fields of `package.json` that the registry needs. */
export interface Manifest {
  readonly version: string
  readonly homepage: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

export async function manifestOf(root: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
}

interface Place {
  readonly root: string
  readonly manifest: Manifest
}

async function registryItem({ entries, ...item }: ItemSource, { root, manifest }: Place) {
  const files = await copiedFiles(root, entries)
  // The project that copies a component has React.
  const packages = new Set(files.flatMap((file) => file.packages).filter((name) => name !== 'react'))
  return {
    $schema: 'https://ui.shadcn.com/schema/registry-item.json',
    ...item,
    type: 'registry:block',
    dependencies: [...packages].sort().map((name) => `${name}@${versionOf(name, manifest)}`),
    files: files.map(({ target, text }) => ({ path: target, type: 'registry:file', target, content: text })),
  }
}

function versionOf(name: string, { version, dependencies, devDependencies }: Manifest): string {
  const found = name === 'agentfold' ? version : (dependencies[name] ?? devDependencies[name])
  if (found === undefined) throw new Error(`the components import ${name}, which is not in package.json`)
  return found.startsWith('^') ? found : `^${found}`
}
