import { sep } from 'node:path'

/** Paths as JSON: each folder is there once. A path is a folder and the name behind it. */
export interface PathColumns {
  /** With the separator at their ends. */
  readonly folders: readonly string[]
  readonly folderOf: readonly number[]
  readonly names: readonly string[]
}

/** Collects paths, each once. */
export class PathCollector {
  readonly #folders: string[] = []
  readonly #folderOf: number[] = []
  readonly #names: string[] = []
  readonly #knownFolders = new Map<string, number>()
  readonly #known = new Map<string, number>()

  /** Returns the number of a path. */
  add(path: string): number {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    const start = path.lastIndexOf(sep) + 1
    const folder = path.slice(0, start)
    const at = this.#knownFolders.get(folder) ?? this.#folders.push(folder) - 1
    this.#knownFolders.set(folder, at)
    this.#folderOf.push(at)
    const number = this.#names.push(path.slice(start)) - 1
    this.#known.set(path, number)
    return number
  }

  get columns(): PathColumns {
    return { folders: this.#folders, folderOf: this.#folderOf, names: this.#names }
  }
}

/** Returns the paths in the order of their numbers. */
export function pathsIn({ folders, folderOf, names }: PathColumns): readonly string[] {
  return names.map((name, at) => (folders[folderOf[at] ?? 0] ?? '') + name)
}
