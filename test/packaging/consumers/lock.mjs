export { LockClient } from 'holdfast/lock'
