import { existsSync } from 'node:fs'

/** Returns the file of an installed program: the first of the paths that its version has. */
export function programFile(installed: string, ...paths: readonly [string, ...string[]]): string {
  const files = paths.map((path) => `${installed}/node_modules/${path}`)
  return files.find((file) => existsSync(file)) ?? `${installed}/node_modules/${paths[0]}`
}
