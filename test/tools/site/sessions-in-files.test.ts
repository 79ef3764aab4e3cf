import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSession } from '../../../src/entries/node.ts'
import type { Files } from '../../../tools/site/page/memory-reader.ts'
import { sessionsIn } from '../../../tools/site/page/sessions-in-files.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')

/** Returns the text files of a folder, by their paths from the folder around it, as a browser names what a person drops. */
function filesOf(folder: string): Files {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.jsonl?$|\.ndjson$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    paths.map((path) => [
      relative(join(folder, '..'), path).split(sep).join('/'),
      readFileSync(path, 'utf8'),
    ]),
  )
}

const FOLDERS = [
  'claude-code/06-nested-forward/transcript',
  'claude-code-2.0.77/04b-subagent-default/transcript',
  'codex/10-three-parallel-v1/sessions',
  'codex/11-nested-v1/sessions',
  'opencode/06-nested/export',
  'gemini/06-subagent/store',
  'copilot/08-nested/store',
  'qwen/06-subagent/store',
  'kimi/06-subagent-0.43.1/store',
  'cline/06-subagent/store',
  'pi/omp-06-subagent/store',
  'grok/06-subagent/sessions',
  'acp/07-claude-sub-subagent/files',
]

describe('files in memory', () => {
  it.each(FOLDERS)('are the session that they are on the disk: %s', async (name) => {
    const folder = join(FIXTURES, name)
    const [session, ...others] = sessionsIn(filesOf(folder))
    expect(others).toEqual([])
    const { state, issues } = await readSession(folder)
    expect(state.subagents.length).toBeGreaterThan(0)
    expect(session?.read()).toEqual({ state, issues })
  })

  const several = (names: readonly string[]): Files =>
    new Map(
      names.flatMap((name) =>
        [...filesOf(join(FIXTURES, name))].map(([path, text]) => [`${name}/${path}`, text]),
      ),
    )

  it('are several sessions with the agents of each', async () => {
    for (const names of [
      ['claude-code/06-nested-forward/transcript', 'claude-code/04-subagent-forward/transcript'],
      ['grok/06-subagent/sessions', 'grok/06d-subagent-messages/sessions'],
      ['codex/10-three-parallel-v1/sessions', 'codex/11-nested-v1/sessions'],
      ['gemini/06-subagent/store', 'cline/06-subagent/store', 'kimi/06-subagent-0.43.1/store'],
    ]) {
      const found = sessionsIn(several(names))
      const expected = await Promise.all(names.map((name) => readSession(join(FIXTURES, name))))
      const idOf = (state: { readonly session: { readonly id?: string } }) => state.session.id ?? ''
      const states = found.map(({ read }) => read().state).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
      expect(states).toEqual(expected.map(({ state }) => state).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1)))
    }
  })

  it('have the title that the program stored', () => {
    const found = sessionsIn(several(['copilot/08-nested/store', 'opencode/06-nested/export']))
    expect(found.map(({ title }) => title)).toEqual(['A demo session', undefined])
  })

  it('are recorded streams if no program stored them', () => {
    const streams = new Map(
      ['claude-code/03-tools/stream.ndjson', 'pi/0.74-06-subagent/stream.ndjson'].map((path) => [
        path,
        readFileSync(join(FIXTURES, path), 'utf8'),
      ]),
    )
    const other = new Map([...streams, ['notes.jsonl', '{"tea":1}\n'], ['list.json', '[1]']])
    expect(sessionsIn(other).map(({ path }) => path)).toEqual([...streams.keys()])
  })

  it('are no session if no format knows them', () => {
    expect(
      sessionsIn(
        new Map([
          ['a.jsonl', '{"tea":1}\n'],
          ['b.json', '{}'],
        ]),
      ),
    ).toEqual([])
    const [only] = sessionsIn(new Map([['a.jsonl', '{"tea":1}\n']]))
    expect(() => only?.read()).toThrow(expect.objectContaining({ code: 'not-a-transcript' }))
  })
})
