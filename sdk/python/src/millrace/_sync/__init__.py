# Made by `npm run sdk` from its like in `_async`.
