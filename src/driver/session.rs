//! One child's life: from spawn through output, deadlines and stop to the last descendant's end.
