import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { redactAll } from '../../src/redaction/redactions.ts'

const MAX_FILES = 2_500
const MAX_BYTES = 60_000
const ORDINARY = /\.(?:md|ts|mts|py|js|json|ya?ml)$/

/** A line of ordinary code that the redaction changes. */
export interface Hit {
  readonly line: string
  readonly redacted: string
}

/** Returns the lines of the packages in a folder that the redaction changes. The files are the same for the same lock file. */
export function findHits(folder: string): {
  readonly files: number
  readonly characters: number
  readonly hits: readonly Hit[]
} {
  const files = filesIn(folder)
  let characters = 0
  const hits = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    characters += text.length
    return redactAll(text) === text ? [] : text.split('\n').flatMap(hitOf)
  })
  return { files: files.length, characters, hits }
}

function hitOf(line: string): readonly Hit[] {
  const redacted = redactAll(line)
  return redacted === line ? [] : [{ line, redacted }]
}

function filesIn(folder: string): readonly string[] {
  const files: string[] = []
  const folders = [folder]
  for (let at = folders.shift(); at !== undefined && files.length < MAX_FILES; at = folders.shift()) {
    for (const entry of readdirSync(at, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(at, entry.name)
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory()) folders.push(path)
      else if (ORDINARY.test(entry.name) && statSync(path).size < MAX_BYTES) files.push(path)
    }
  }
  return files.slice(0, MAX_FILES)
}
