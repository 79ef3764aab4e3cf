import { describe, expect, it, vi } from 'vitest'
import { opencodeSource, opencodeTranscript, TranscriptError } from '../../../src/entries/opencode.ts'
import { isExportAlone } from '../../../src/wires/opencode/files/session-files.ts'
import { parseTranscript, readTranscript } from '../../../src/wires/transcript.ts'
import { recording, recordings, replay } from './recordings.ts'

const codeOf = (action: () => unknown): string => {
  try {
    action()
  } catch (error) {
    if (error instanceof TranscriptError) return error.code
    throw error
  }
  return 'nothing thrown'
}

/** Returns exports as the files of a storage folder. */
function storageFiles(root: string, exports: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.values(exports).map((text) => JSON.parse(text))
  const entries = all.flatMap(({ info, messages }) => [
    [`${root}session/global/${info.id}.json`, info],
    ...messages.flatMap((message: { info: { id: string }; parts: { id: string }[] }) => [
      [`${root}message/${info.id}/${message.info.id}.json`, message.info],
      ...message.parts.map((part) => [`${root}part/${message.info.id}/${part.id}.json`, part]),
    ]),
  ])
  const files = entries.map(([path, value]) => [path, JSON.stringify(value)])
  return { ...Object.fromEntries(files), [`${root}migration`]: '2' }
}

describe('the exports of a session', () => {
  it.each(recordings)(
    'are bundled with main first, whatever their file names: $name',
    ({ files, mainSession }) => {
      const entries = Object.entries(files)
      const expected = opencodeTranscript(files)
      expect(JSON.parse(expected.main).info.id).toBe(mainSession)
      expect(expected.subagents.map(({ id }) => id)).not.toContain(mainSession)
      expect(expected.subagents).toHaveLength(entries.length - 1)
      const others = entries.reverse().map(([path, text], at) => [`elsewhere/${at}`, text, path])
      expect(opencodeTranscript(Object.fromEntries(others))).toEqual(expected)
    },
  )

  it('list subagents in the order of their start', () => {
    const { files, mainSession } = recording('06-nested')
    const parentOf = new Map(
      Object.values(files).map((text) => {
        const { id, parentID } = JSON.parse(text).info
        return [id, parentID]
      }),
    )
    const [outer, inner] = opencodeTranscript(files).subagents
    expect(parentOf.get(outer?.id)).toBe(mainSession)
    expect(parentOf.get(inner?.id)).toBe(outer?.id)
  })

  it('of many agents without their parents are each read once in a pass, and once more for themselves', () => {
    const names = Array.from({ length: 20 }, (_, at) => `e${at}.json`)
    const value = vi.fn((path: string) => ({ info: { id: path, parentID: 'other' }, messages: [] }))
    const reader = { pass: {}, value, values: () => [], names: () => names }
    expect(names.every((name) => isExportAlone(`exports/${name}`, reader))).toBe(true)
    expect(value).toHaveBeenCalledTimes(2 * names.length)
  })

  it('are bundled without other files', () => {
    const { files, events } = recording('04-subagent')
    const others = { 'events.ndjson': events, 'README.md': '# Hi', 'x.json': '{}', 'y.json': '[]', empty: '' }
    expect(opencodeTranscript({ ...others, ...files })).toEqual(opencodeTranscript(files))
  })

  // OpenCode before 1.2 has a file for each session, message and part.
  it.each(['', 'storage/', '/srv/demo/.local/share/opencode/storage/'])(
    'are like the files of a storage folder: %s',
    (root) => {
      const { files } = recording('06-nested')
      const stored = opencodeTranscript(storageFiles(root, files))
      expect(replay(stored)).toEqual(replay(opencodeTranscript(files)))
    },
  )

  it('are refused if a storage folder has several sessions', () => {
    const two = ['04-subagent', '06-nested'].map((name) => storageFiles('storage/', recording(name).files))
    expect(codeOf(() => opencodeTranscript(Object.assign({}, ...two)))).toBe('several-sessions')
  })

  it('include a truncated file as one broken line', () => {
    const { files } = recording('04-subagent')
    const [whole = ''] = Object.values(files)
    const bundled = opencodeTranscript({ ...files, 'cut.json': whole.slice(0, 200) })
    const { issues } = replay(bundled)
    expect(issues.map(({ code }) => code)).toEqual(['malformed-line'])
  })

  it('are refused if there is no session or more than one', () => {
    expect(codeOf(() => opencodeTranscript({}))).toBe('no-session')
    expect(codeOf(() => opencodeTranscript({ 'events.ndjson': recording('04-subagent').events }))).toBe(
      'no-session',
    )
    const two = { ...recording('01-plain-text').files, ...recording('04-subagent').files }
    expect(codeOf(() => opencodeTranscript(two))).toBe('several-sessions')
  })
})

describe('an input', () => {
  it.each(['', '\n', ' \r\n\t\n', '\uFEFF'])('is an empty session if it is blank: %j', (raw) => {
    expect(readTranscript('opencode', raw)).toEqual({ events: [], issues: [], ending: 'open' })
  })

  it.each(['garbage', '{}', 'null', '{"info":{}}', '{"type":"tea","properties":{}}', '[{"info":{}}]'])(
    'is refused if no line is known: %j',
    (raw) => {
      expect(codeOf(() => parseTranscript('opencode', raw))).toBe('not-a-transcript')
    },
  )
})

it('reads exports with the public source as with readTranscript', () => {
  const { disk } = recording('04-subagent')
  let session = opencodeSource.open()
  const events = [disk.main, ...disk.subagents.map(({ transcript }) => transcript)].flatMap((text) => {
    const reading = opencodeSource.read(session, [JSON.parse(text)])
    session = reading.session
    return reading.events
  })
  expect([...events, ...opencodeSource.end(session).events]).toEqual(readTranscript('opencode', disk).events)
})
