import process from 'node:process'
import { bundle } from '../bundle.ts'
import { listen } from '../listen.ts'
import { runAgent } from './agents.ts'
import { Gateway, gatewayServer } from './gateway.ts'
import { modelServer } from './model.ts'

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Agents</title>
<body></body><script type="module" src="/page.js"></script></html>`

/** The time of an answer of the model, in ms. */
const PAUSE = 1000

/** Once an hour, the gateway forgets what was over a day ago. In ms. */
const [HOUR, DAY] = [3_600_000, 86_400_000]

/** `npm run example:gateway` starts a model API with made-up answers, the gateway before it, and agents that ask it. */
const gateway = new Gateway(await listen(modelServer(PAUSE)))
setInterval(() => gateway.forget(Date.now() - DAY), HOUR).unref()
const page = { '/': PAGE, '/page.js': await bundle('gateway/page.tsx') }
const url = await listen(gatewayServer(gateway, page))
process.stdout.write(`${url}\n`)
process.stdout.write(`${await runAgent(url, 'builder', 'Why is the build red?')}\n`)
