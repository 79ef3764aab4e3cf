import { expect, it } from 'vitest'
import { recordings, replay } from './recordings.ts'

for (const { name, events } of recordings)
  it(`window ${name}`, () => {
    const lines = events.trimEnd().split('\n')
    const whole = replay(events)
    const bad: string[] = []
    for (const size of [1, 2, 3, 5, 8, 13, 30, 80])
      for (let end = 1; end <= lines.length; end += 1) {
        const start = Math.max(0, end - size)
        const again = [...lines.slice(0, end), ...lines.slice(start, end), ...lines.slice(end)]
        const r = replay(again.join('\n'))
        const a = JSON.stringify(r.state), b = JSON.stringify(whole.state)
        if (a !== b) bad.push(`state ${size}@${end} ${lines[start]?.slice(0, 150)}`)
        if (r.ending !== whole.ending) bad.push(`ending ${size}@${end}`)
        if (r.reducerIssues.length) bad.push(`issues ${size}@${end} ${JSON.stringify(r.reducerIssues[0])}`)
      }
    expect(bad.slice(0, 12).concat(String(bad.length))).toEqual(['0'])
  })
for (const { name, events } of recordings)
  it(`one old ${name}`, () => {
    const lines = events.trimEnd().split('\n')
    const whole = replay(events)
    const bad: string[] = []
      for (let end = 1; end <= lines.length; end += 7) for (let old = 0; old < end; old += 1) {
        const again = [...lines.slice(0, end), lines[old], ...lines.slice(end)]
        const r = replay(again.join('\n'))
        const a = JSON.stringify(r.state), b = JSON.stringify(whole.state)
        if (a !== b) bad.push(`state ${old}@${end} ${lines[old]?.slice(36, 150)}`)
        if (r.ending !== whole.ending) bad.push(`ending ${old}@${end}`)
      }
    expect(bad.slice(0, 12).concat(String(bad.length))).toEqual(['0'])
  }, 300000)
