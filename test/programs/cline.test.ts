import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clineSource, clineTranscript } from '../../src/entries/cline.ts'
import { followSession, listSessions, readSession, type SessionSummary } from '../../src/entries/node.ts'
import { compareSessions } from '../../src/entries/parity.ts'
import { checkJoin } from '../../src/entries/testing.ts'
import { parseTranscript, readTranscript } from '../../src/wires/transcript.ts'
import { depth, sampleOf } from '../depth.ts'
import { factDifferences } from '../facts/check-facts.ts'
import { recordedForms } from '../laws/recordings.ts'
import { inNewFolder } from '../node/follow/growing-session.ts'
import { messagesOf } from '../wires/messages-in.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/cline')
const forms = [FOLDER, join(FOLDER, '../laws/cline')].flatMap((folder) => [...recordedForms(folder)])
const storeOf = (name: string) => forms.find(({ recording, form }) => recording === name && form === 'store')

describe.each(forms)('$recording, $form', ({ recording, form, architecture, raw }) => {
  it('has no unknown line, and names its program', () => {
    const { issues } = readTranscript(architecture, raw)
    expect(issues.filter(({ code }) => code !== 'unfinished-subagent')).toEqual([])
    expect(parseTranscript(architecture, raw).session.program).toBe('cline')
  })

  it('says the same as the files', () => {
    const stored = storeOf(recording)
    if (!stored || form === 'store') return
    const live = parseTranscript(architecture, raw)
    expect(compareSessions(live, parseTranscript('cline', stored.raw)).differences).toEqual([])
  })
})

const live = forms.filter(({ form }) => form === 'stream')

describe.each(live)('$recording', ({ recording, raw }) => {
  it('joins the stream to the files', () => {
    const history = messagesOf('cline', storeOf(recording)?.raw ?? '')
    const live = messagesOf('cline', raw)
    const cuts = sampleOf([...live.keys(), live.length], depth({ few: 3, all: 32 }))
    checkJoin(clineSource, { history, live, cuts })
  })

  it('joins the stream to what the disk had at a line', () => {
    // The file of an agent is empty until its end, so what it has done before the join is in no file.
    for (const history of storedAt(recording))
      checkJoin(clineSource, { history, live: messagesOf('cline', raw), cuts: [0] })
  })
})

/** Returns what the disk had in the middle of the session. */
function storedAt(name: string): readonly (readonly unknown[])[] {
  const folder = join(FOLDER, name, 'stored-at')
  if (!existsSync(folder)) return []
  return readdirSync(folder).map((number) =>
    messagesOf('cline', clineTranscript(filesIn(join(folder, number)))),
  )
}

function filesIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]))
}

/** Runs a test on a machine with the files of a recording, or those of the middle of its session. */
const onMachine = (name: string, run: (home: string) => Promise<void>, part = 'store'): Promise<void> =>
  inNewFolder((home) => {
    copySessions(name, part, home)
    return run(home)
  })

function copySessions(name: string, part: string, home: string): void {
  mkdirSync(join(home, '.cline'), { recursive: true })
  cpSync(join(FOLDER, name, part, '.cline'), join(home, '.cline'), { recursive: true })
}

async function list(home: string): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = []
  for await (const each of listSessions({ home })) found.push(each)
  return found
}

it('lists a session once, with its facts and agents', () =>
  onMachine('07-three', async (home) => {
    expect(await list(home)).toMatchObject([
      {
        id: '1795643922912_zeib6',
        format: 'cline',
        program: 'cline',
        cwd: '/srv/demo',
        agents: 3,
        model: 'mock-model',
        startedAt: expect.stringMatching(/^2026-11-25T21:58:4/),
      },
    ])
  }))

it.each(['the file', 'the folder'])('reads a session with its agents by %s', (kind) =>
  onMachine('07-three', async (home) => {
    const [session] = await list(home)
    const path = session?.path ?? ''
    const { state, issues } = await readSession(kind === 'the file' ? path : join(path, '..'))
    const facts = storeOf('07-three')?.facts
    expect(facts && factDifferences(state, facts, { form: 'store' })).toEqual([])
    expect(state.session).toMatchObject({ id: session?.id, cwd: '/srv/demo', model: 'mock-model' })
    expect(issues).toEqual([])
  }),
)

it('follows a session whose files are written anew', () =>
  onMachine(
    '06-subagent',
    async (home) => {
      const [session] = await list(home)
      const stop = new AbortController()
      const statuses: string[] = []
      for await (const { state } of followSession(session?.path ?? '', { signal: stop.signal })) {
        const [agent] = state.subagents
        statuses.push(`${state.turn.status} ${agent?.status} ${agent?.blocks.length}`)
        if (statuses.length === 1) copySessions('06-subagent', 'store', home)
        if (state.turn.status === 'finished') stop.abort()
      }
      expect(statuses[0]).toBe('running running 0')
      expect(statuses.at(-1)).toBe('finished success 6')
    },
    'stored-at/1',
  ))
