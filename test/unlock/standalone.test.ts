import { unlockCases } from './unlock.cases.js'

unlockCases('standalone')
