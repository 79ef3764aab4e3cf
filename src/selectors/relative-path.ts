/** Returns a path in the working folder from there, and any other path as it is. */
export function relativePath(path: string, cwd: string | undefined): string {
  if (cwd === undefined || cwd === '' || !path.startsWith(cwd)) return path
  const rest = path.slice(cwd.length)
  return /^[\\/]./.test(rest) ? rest.slice(1) : path
}
