import { createRequire } from 'node:module'
import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js'

const require = createRequire(import.meta.url)

/** Returns the SDK's schema of a notification. It knows the names of integer formats that Ajv does not. */
function notificationSchema(name: 'schema.json' | 'schema.unstable.json'): ValidateFunction {
  const schema = require(`@agentclientprotocol/sdk/schema/v1/${name}`)
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.addSchema(schema, name)
  const validate = ajv.getSchema(`${name}#/$defs/SessionNotification`)
  if (!validate) throw new Error(`${name} has no notification`)
  return validate
}

const stable = notificationSchema('schema.json')
const unstable = notificationSchema('schema.unstable.json')

/** Returns the errors of a notification by the SDK's own schema: of the stable protocol, or with its unstable parts. */
export function schemaErrors(
  notification: unknown,
  { isStable }: { readonly isStable: boolean },
): readonly unknown[] {
  const validate = isStable ? stable : unstable
  return validate(notification) ? [] : (validate.errors ?? [])
}
