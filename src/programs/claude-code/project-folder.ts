const MAX_LENGTH = 200

/** Returns the name of the folder in which the program keeps the sessions of a working folder. */
export function projectFolder(cwd: string): string {
  const name = cwd.replace(/[^a-zA-Z0-9]/g, '-')
  if (name.length <= MAX_LENGTH) return name
  return `${name.slice(0, MAX_LENGTH)}-${Math.abs(hashOf(cwd)).toString(36)}`
}

/** The program's own hash, of 32 bits. */
function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return hash
}
