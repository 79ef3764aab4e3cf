import { createHash } from 'node:crypto'

/**
 * Returns the name of a session's folder: a readable part, and a hash that makes it unique. So no id leaves the log's folder, and two ids
 * that differ in capitals alone have two folders on every file system. JSON keeps halves of characters apart, and UTF-8 does not.
 */
export function folderName(sessionId: string): string {
  const readable = sessionId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  return `${readable}-${createHash('sha256').update(JSON.stringify(sessionId)).digest('hex').slice(0, 24)}`
}
