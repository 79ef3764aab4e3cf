import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { foldSessionEvents } from '../../src/core/reducer/reduce.ts'
import { createInitialConversationState } from '../../src/entries/index.ts'
import { listSessions, readSession, type SessionSummary } from '../../src/entries/node.ts'
import { readTranscript } from '../../src/wires/transcript.ts'
import { factDifferences } from '../facts/check-facts.ts'
import type { Facts } from '../facts/facts.ts'
import { inNewFolder } from '../node/follow/growing-session.ts'
import { withSqlite } from '../node/sqlite.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/kilo')
const names = readdirSync(FOLDER).sort()

function factsOf(name: string): Facts {
  return JSON.parse(readFileSync(join(FOLDER, name, 'facts.json'), 'utf8'))
}

/** Returns the facts of the first session. A fork is another session of the same server, and its facts are those of the recording. */
function firstSession({ others = [], branches = [], ...facts }: Facts): Facts {
  const items = others[0]?.texts.map(
    (text, at) => ({ type: at % 2 === 0 ? 'prompt' : 'text', text }) as const,
  )
  const agents = facts.agents.map((agent) => ({ ...agent, items: items ?? [] }))
  return { ...facts, agents, branches: branches.slice(0, 1) }
}

/** Runs a test on a machine with the database of a recording. */
const onMachine = (name: string, run: (home: string) => Promise<void>): Promise<void> =>
  inNewFolder((home) => {
    const folder = join(home, '.local/share/kilo')
    mkdirSync(folder, { recursive: true })
    copyFileSync(join(FOLDER, name, 'kilo.db'), join(folder, 'kilo.db'))
    return withSqlite(true, () => run(home))
  })

async function list(home: string): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = []
  for await (const each of listSessions({ home })) found.push(each)
  return found
}

describe.each(names)('%s', (name) => {
  it('has the facts of its events', () => {
    const facts = factsOf(name)
    const { events, issues } = readTranscript(
      'opencode',
      readFileSync(join(FOLDER, name, 'events.ndjson'), 'utf8'),
    )
    const { state } = foldSessionEvents(createInitialConversationState(), events)
    expect(factDifferences(state, facts.others ? firstSession(facts) : facts, { form: 'events' })).toEqual([])
    expect(state.session).toMatchObject({ program: 'kilo', version: '7.7.9' })
    const codes = new Set(issues.map(({ code }) => code))
    expect([...codes]).toEqual(facts.others ? ['other-session'] : [])
  })

  it('has the facts of its database', () =>
    onMachine(name, async (home) => {
      const [session] = await list(home)
      expect(session).toMatchObject({ format: 'opencode', program: 'kilo' })
      const { state, issues } = await readSession(session?.path ?? '')
      expect(factDifferences(state, factsOf(name), { form: 'store' })).toEqual([])
      expect(state.session).toMatchObject({ program: 'kilo', version: '7.7.9' })
      expect(issues).toEqual([])
    }))
})
