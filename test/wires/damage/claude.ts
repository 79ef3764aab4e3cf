import fc from 'fast-check'
import { claudeSource } from '../../../src/wires/claude/source.ts'
import { recording, replay } from '../recordings.ts'
import {
  change,
  type Damage,
  damaged,
  insert,
  LINE_MUTATIONS,
  type Mutation,
  type Program,
} from './program.ts'

const UNKNOWN_LINES = {
  unknownType: '{"type":"tea_break","session_id":"x","uuid":"y"}',
  unknownSubtype: '{"type":"system","subtype":"tea_break"}',
  noObject: '[null]',
  // The end of a truncated line.
  noJson: 'ssage":{"role":"user"}}',
}

const mutations: Readonly<Record<string, Mutation>> = {
  ...LINE_MUTATIONS,
  ...Object.fromEntries(Object.entries(UNKNOWN_LINES).map(([name, line]) => [name, insert(line)])),
  newField: change((fields) => ({ ...fields, tea: { strength: 3 } })),
  noUuid: change(({ uuid, ...fields }) => fields),
  noMessage: change(({ message, ...fields }) => fields),
  noType: change(({ type, ...fields }) => fields),
  oddTypes: change((fields) => Object.fromEntries(Object.keys(fields).map((key) => [key, 7]))),
  oddContent: change((fields) => ({ ...fields, message: { content: [null, 7, { type: 'tea' }, 'x'] } })),
  elsewhere: change((fields) => ({ ...fields, parent_tool_use_id: 'nobody', agent_id: 'nobody' })),
  mainsAgent: change((fields) => ({ ...fields, parent_tool_use_id: 'main', agent_id: 'main' })),
}

const damages = fc.array(fc.tuple(fc.constantFrom(...Object.keys(mutations)), fc.nat()), {
  minLength: 1,
  maxLength: 6,
})

/** The session's own file, or one of its subagents' files, is damaged. */
const files = fc.tuple(damages, fc.nat({ max: 2 })).map(([all, which]) => {
  const { disk } = recording('06-nested-forward')
  const subagents = disk.subagents.map((subagent, index) =>
    index === which
      ? { ...subagent, transcript: damagedText(subagent.transcript, all), meta: '{"cut' }
      : subagent,
  )
  return { main: which === 2 ? damagedText(disk.main, all) : disk.main, subagents }
})

function damagedText(text: string, all: readonly Damage[]): string {
  return damaged({ mutations }, text.split('\n'), all).join('\n')
}

export const CLAUDE: Program = {
  source: claudeSource,
  replay,
  names: [
    '03-tools',
    '06-nested-forward',
    '07-background',
    '07d-send-message',
    '08e-main-drop',
    '10-compact',
    '13-hooks',
  ],
  live: (name) => recording(name).stream,
  mutations,
  unknownLines: () => Object.values(UNKNOWN_LINES),
  fieldOfEach: 'uuid',
  files,
}
