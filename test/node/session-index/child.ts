import process from 'node:process'
import { openSessionIndex } from '../../../src/entries/node.ts'

/** Brings an index up to date again and again, until the process is killed. */
const [home = '', path = ''] = process.argv.slice(2)
for (;;) {
  const index = await openSessionIndex({ home, path })
  await index.update()
  await index.search('tea')
  await index.close()
  process.stdout.write('.')
}
