const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:)/

/** Returns the absolute path of a file. A relative one is in that folder; without a folder it stays as it is. */
export function absolutePath(path: string, folder: string | undefined): string {
  if (!folder || ABSOLUTE.test(path)) return path
  const base = withoutEnd(folder)
  const name = path.replace(/^\.[/\\]/, '')
  return folder.includes('\\') ? `${base}\\${name.replaceAll('/', '\\')}` : `${base}/${name}`
}

/** Returns the path as people read it: relative, if it is in that folder. */
export function relativePath(path: string, folder: string | undefined): string {
  const base = withoutEnd(folder ?? '')
  const rest = folder && path.startsWith(base) ? path.slice(base.length) : ''
  return /^[/\\]./.test(rest) ? rest.slice(1) : path
}

/** Returns the path with slashes in place of backslashes. */
export function withSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}

function withoutEnd(folder: string): string {
  return folder.replace(/(?<![/\\])[/\\]+$/, '')
}
