import { join } from 'node:path'
import { expect, it } from 'vitest'
import { init, modelAnswers, toText, turnResult, userMessage } from '../../wires/claude/messages.ts'
import { Emulator } from '../output/emulator.ts'
import { agentfold } from '../terminal.ts'

const ANSWER = `# Migration of the orders

Three services **still** call the *old* endpoint.

## Numbers

| Service | Team | Calls a day | p95 | Notes |
| --- | --- | --- | --- | --- |
| checkout | payments | 1,204,000 | 182 ms | uses \`POST /v1/orders\` with a retry loop that must change before the migration |
| search 🔍 | 発見チーム | 9,310 | 41 ms | reads only ✅ |
| mobile-gateway-with-a-very-long-name | platform | 88,120 | 1,310 ms | has a [dashboard](https://example.org/d/1) |

### Next

1. Add the client:

\`\`\`ts
/** Creates an order. */
export async function createOrder(cart: Cart, retries = 3): Promise<Order> {
  return post(\`\${BASE}/v2/orders\`, { cart }) // with a key
}
\`\`\`

2. Move the callers.

\`\`\`json
{ "retries": 3, "url": "https://example.org", "isOn": true }
\`\`\`

> Wide characters: 日本語 and 한국어.
`

const chunks = [
  toText([init]),
  toText([userMessage('Plan the migration')]),
  toText([modelAnswers('m1', ANSWER, { uuid: 'u1' })]),
  toText([turnResult()]),
]

it.each([80, 100, 140])('looks the same as before on %i columns', async (columns) => {
  const { out } = await agentfold(['show', '-'], { stdin: chunks, columns })
  const screen = new Emulator({ rows: 30, columns })
  const frames: string[] = []
  let now = 0
  const replayed = await agentfold(['replay', '-'], {
    stdin: (function* () {
      for (const chunk of chunks) {
        now += 1_000
        yield chunk
      }
    })(),
    columns,
    screen: {
      rows: 30,
      columns,
      now: () => now,
      write: (part) => {
        screen.write(part)
        frames.push(screen.lines.join('\n'))
      },
    },
  })
  const parts = ['show', out, 'replay, while it runs', frames[2], 'replay, at its end', replayed.out]
  await expect(parts.join('\n────\n')).toMatchFileSnapshot(join(import.meta.dirname, `golden-${columns}.txt`))
})

it('has the same colours as before', async () => {
  const { out } = await agentfold(['show', '-', '--color'], { stdin: chunks, columns: 80 })
  const visible = out.replaceAll(/\p{Cc}\[(\d+)m/gu, '‹$1›')
  await expect(visible).toMatchFileSnapshot(join(import.meta.dirname, 'golden-colours.txt'))
})
