import { describe, expect, it } from 'vitest'
import { asArray, asObject } from '../../../src/core/json/values.ts'
import { detectArchitecture } from '../../../src/entries/index.ts'
import { toLines } from './messages.ts'
import { type Recording, recordings, replay } from './recordings.ts'

/** The answers of `GET /session/:id/message` for the main session and for the others. */
function messageLists({ files, mainSession }: Recording) {
  const exports = Object.values(files).map((text) => asObject(JSON.parse(text)))
  const isMain = ({ info }: { readonly info?: unknown }) => asObject(info).id === mainSession
  return {
    main: asArray(exports.find(isMain)?.messages),
    others: exports.filter((each) => !isMain(each)).map(({ messages }) => asArray(messages)),
  }
}

// Programs that watch a server keep the lists which it returns. agentfold refused them.
describe.each(recordings)('$name as lists of messages', (recording) => {
  const { main, others } = messageLists(recording)
  const stored = replay(recording.disk).state
  const transcript = {
    main: JSON.stringify(main, undefined, 2),
    subagents: others.map((list, at) => ({ id: `${at}`, transcript: JSON.stringify(list) })),
  }

  it('is detected', () => {
    expect(detectArchitecture(transcript.main)).toBe('opencode')
    expect(detectArchitecture(JSON.stringify(main))).toBe('opencode')
    expect(detectArchitecture(toLines(main))).toBe('opencode')
  })

  it('shows what the exports show', () => {
    const { state, issues } = replay(transcript)
    expect(state.session.id).toBe(recording.mainSession)
    expect(state.blocks).toEqual(stored.blocks)
    expect(state.subagents).toEqual(stored.subagents)
    expect(issues).toEqual([])
  })

  it('shows the same message by message', () => {
    expect(replay(toLines(main)).state).toEqual(replay(JSON.stringify(main)).state)
  })
})
