import fc from 'fast-check'
import { opencodeSource } from '../../../src/wires/opencode/source.ts'
import { recording, recordings, replay } from '../opencode/recordings.ts'
import { change, LINE_MUTATIONS, type Mutation, type Program } from './program.ts'

const changeProperties = (news: (properties: Record<string, unknown>) => unknown): Mutation =>
  change((fields) => ({ ...fields, properties: news(Object(fields.properties)) }))

const changeIn = (key: 'part' | 'info', fields: Readonly<Record<string, unknown>>): Mutation =>
  changeProperties((properties) => ({ ...properties, [key]: { ...Object(properties[key]), ...fields } }))

const oddly = (value: unknown): Mutation =>
  changeProperties((properties) =>
    Object.fromEntries(
      Object.keys(properties).map((key) => [key, key === 'sessionID' ? properties[key] : value]),
    ),
  )

const mutations: Readonly<Record<string, Mutation>> = {
  ...LINE_MUTATIONS,
  unknownType: change((fields) => ({ ...fields, type: 'tea.break' })),
  unknownPart: changeIn('part', { type: 'tea' }),
  newField: changeProperties((properties) => ({ ...properties, tea: { strength: 3 } })),
  noProperties: change(({ properties, ...fields }) => fields),
  noId: change(({ id, ...fields }) => fields),
  noSession: changeProperties(({ sessionID, ...properties }) => properties),
  noPartId: changeIn('part', { id: undefined }),
  noState: changeIn('part', { state: undefined }),
  sevens: oddly(7),
  nulls: oddly(null),
  lists: oddly([null, 7, 'x']),
  texts: oddly('x'),
  objects: oddly({ type: 'tool', id: 7, state: { status: 'completed', metadata: [] }, time: 'noon' }),
  mains: changeProperties((properties) => ({ ...properties, sessionID: 'main' })),
  elsewhere: changeProperties((properties) => ({ ...properties, sessionID: 'ses_elsewhere' })),
  noChild: changeIn('info', { parentID: undefined }),
  ownChild: changeProperties((properties) => ({
    ...properties,
    info: { ...Object(properties.info), parentID: properties.sessionID },
  })),
}

function unknownLines(name: string): readonly string[] {
  const { mainSession } = recording(name)
  return [
    `{"id":"evt_tea","type":"tea.break","properties":{"sessionID":"${mainSession}"}}`,
    `{"type":"tea","timestamp":1,"sessionID":"${mainSession}","part":{}}`,
    '{"payload":{"type":"tea.break"}}',
    '{"properties":{}}',
    '[null]',
    'null',
    // The end of a truncated line.
    'rties":{"sessionID":"x"}}',
  ]
}

const names = recordings.map(({ name }) => name)
const odd = fc.constantFrom<unknown>(undefined, null, 7, 'x', [], [null], {}, { type: 'tea' }, -1)

/** Exports in which any value may be another one. */
const files = fc
  .tuple(fc.constantFrom(...names), fc.array(fc.tuple(fc.nat(), odd), { maxLength: 4 }))
  .map(([name, all]) => {
    const exported = Object.values(recording(name).files).map((text) =>
      all.reduce((before, [place, value]) => replaced(before, place, value), text),
    )
    return `[${exported.join(',')}]`
  })

/** Returns the JSON with another value at a place among all its values. */
function replaced(text: string, place: number, value: unknown): string {
  let count = 0
  JSON.parse(text, () => {
    count += 1
  })
  const chosen = place % count
  let index = 0
  const isRoot = (key: string) => key === ''
  const result: unknown = JSON.parse(text, (key, item: unknown) => {
    index += 1
    return index - 1 === chosen && !isRoot(key) ? value : item
  })
  return JSON.stringify(result)
}

export const OPENCODE: Program = {
  source: opencodeSource,
  replay,
  names,
  live: (name) => recording(name).events,
  mutations,
  unknownLines,
  fieldOfEach: 'sessionID',
  files,
}
