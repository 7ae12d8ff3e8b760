export const signingSecret = 'a signing secret of the tests alone'
