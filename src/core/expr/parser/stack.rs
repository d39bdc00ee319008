//! A stack of which the first few items need no memory of their own: most expressions never have more at a time.

/// Items that stand in the stack itself.
const FEW: usize = 8;

#[derive(Debug)]
pub(super) struct Stack<T> {
    few: [T; FEW],
    more: Vec<T>,
    length: usize,
}

impl<T: Copy> Stack<T> {
    /// An empty stack. The item only fills places that are not taken.
    pub(super) fn new(filler: T) -> Self {
        Self { few: [filler; FEW], more: Vec::new(), length: 0 }
    }

    pub(super) fn push(&mut self, item: T) {
        match self.few.get_mut(self.length) {
            Some(place) => *place = item,
            None => self.more.push(item),
        }
        self.length += 1;
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        let item = *self.last()?;
        self.more.pop();
        self.length -= 1;
        Some(item)
    }

    pub(super) fn last(&self) -> Option<&T> {
        self.more.last().or_else(|| self.few[..self.length.min(FEW)].last())
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut T> {
        self.more.last_mut().or_else(|| self.few[..self.length.min(FEW)].last_mut())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The items, the lowest first.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.few[..self.length.min(FEW)].iter().chain(&self.more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_stack_below_and_above_the_few() {
        let mut stack = Stack::new(0);
        for n in 0..3 * FEW {
            assert_eq!(stack.iter().count(), n);
            stack.push(n);
            assert_eq!(stack.last(), Some(&n));
        }
        assert!(stack.iter().copied().eq(0..3 * FEW));
        for n in (0..3 * FEW).rev() {
            if let Some(last) = stack.last_mut() {
                assert_eq!(*last, n);
            }
            assert_eq!(stack.pop(), Some(n));
        }
        assert!(stack.pop().is_none() && stack.is_empty() && stack.last_mut().is_none());
    }
}
