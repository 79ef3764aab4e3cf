import { basename, dirname, extname, sep } from 'node:path'

/** The sessions' files in each folder. */
export class Neighbours {
  readonly #keys: ReadonlySet<string>
  /** The names of the files without their endings: a session's own folder has such a name. */
  readonly #names = new Map<string, Set<string>>()

  constructor(keys: readonly string[]) {
    this.#keys = new Set(keys)
    for (const key of keys) {
      const folder = dirname(key)
      const names = this.#names.get(folder) ?? new Set()
      names.add(nameOf(key))
      this.#names.set(folder, names)
    }
  }

  /** Whether the path is that of another session in the same folder, or is in that session's own folder. */
  isNeighbour(path: string, ownKey: string): boolean {
    const folder = dirname(ownKey)
    if (path === ownKey) return false
    if (this.#keys.has(path)) return dirname(path) === folder
    if (!path.startsWith(folder + sep)) return false
    const [first = ''] = path.slice(folder.length + 1).split(/[\\/]/)
    return first !== nameOf(ownKey) && this.#names.get(folder)?.has(first) === true
  }
}

function nameOf(path: string): string {
  return basename(path, extname(path))
}
