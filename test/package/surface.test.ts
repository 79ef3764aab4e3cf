import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The names that a built entry gives its users, those of types among them. */
function namesIn(entry: string): readonly string[] {
  const declarations = readFileSync(join(root, 'dist', `${entry}.d.ts`), 'utf8')
  const lists = [...declarations.matchAll(/^export \{([^}]*)\}/gm)].map(([, list = '']) => list)
  const names = lists.flatMap((list) => list.split(',').map((name) => name.trim().replace(/^.* as /, '')))
  return names.map((name) => name.replace(/^type /, '')).sort()
}

// A name that comes or goes is a decision: change the list with it, and say so in the changelog.
it.each(['index', 'claude', 'opencode', 'react', 'testing', 'arbitraries'])(
  'gives its users the names that are listed: %s',
  (entry) => {
    const listed: Record<string, readonly string[]> = JSON.parse(
      readFileSync(join(import.meta.dirname, 'surface.json'), 'utf8'),
    )
    expect(namesIn(entry).length).toBeGreaterThan(0)
    expect(namesIn(entry)).toEqual(listed[entry])
  },
)
