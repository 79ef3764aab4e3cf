import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/** A file as it is in the copy. */
export interface CopiedFile {
  readonly target: string
  readonly text: string
  /** The npm packages that it imports. */
  readonly packages: readonly string[]
}

/** The folder of the copy, in the project that takes it. */
const TARGET = 'components/agentfold'

/**
 * Returns files of the page with all files that they import. In a copy, imports have no extension, and names that the package exports come from
 * the package.
 */
export async function copiedFiles(root: string, entries: readonly string[]): Promise<readonly CopiedFile[]> {
  const exported = await exportedNames(root)
  const copied = new Map<string, CopiedFile>()
  const waiting = entries.map((entry) => `${PAGE}/${entry}`)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (copied.has(path)) continue
    const from = path
    const packages: string[] = []
    const text = (await readFile(join(root, path), 'utf8')).replace(
      IMPORT,
      (whole, names: string, target: string) => {
        const isPackage = !target.startsWith('.')
        const file = join(dirname(from), target)
        const isPublic =
          isPackage || (!file.startsWith(`${PAGE}/`) && namesIn(names).every((name) => exported.has(name)))
        const specifier = isPackage ? target : isPublic ? 'agentfold' : specifierOf(from, file)
        if (isPackage || isPublic) packages.push(packageOf(specifier))
        else waiting.push(file)
        return whole.replace(/(?<=['"])[^'"]+(?=['"]$)/, () => specifier)
      },
    )
    copied.set(path, { target: targetOf(path), text, packages })
  }
  return [...copied.values()].sort((left, right) => (left.target < right.target ? -1 : 1))
}

const PAGE = 'src/page'

/** An import or export with a module's name, or the import of a style. */
const IMPORT = /^(?:import|export|@import) (?:([^'";]*?) ?from )?['"]([^'"]+)['"]/gm

function namesIn(names: string): readonly string[] {
  return names
    .replace(/^type |[{}\n]/g, ' ')
    .split(',')
    .map(
      (name) =>
        name
          .replace(/\btype /, '')
          .trim()
          .split(' ')[0] ?? '',
    )
    .filter((name) => name !== '')
}

/** Returns the names that the package's main entry point exports. */
async function exportedNames(root: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(root, 'src/entries/index.ts'), 'utf8')
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, list = '']) => list)
  return new Set(lists.flatMap(namesIn))
}

function packageOf(specifier: string): string {
  const [scope = '', name = ''] = specifier.split('/')
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}

function targetOf(path: string): string {
  return path.startsWith(PAGE) ? TARGET + path.slice(PAGE.length) : path.replace(/^src/, `${TARGET}/lib`)
}

function specifierOf(from: string, file: string): string {
  const path = relative(dirname(targetOf(from)), targetOf(file)).replace(/\.tsx?$/, '')
  return path.startsWith('.') ? path : `./${path}`
}
